/**
 * What the page does besides what it does without JavaScript: it shows what has changed. Elements with `data-live` are replaced by
 * what the server writes for the same address, when their `data-version` is another one. What somebody is writing stays.
 */
export const script = `(() => {
  let isStale = false, isAsking = false;
  const isWriting = () => [...document.querySelectorAll("textarea")].some((box) => box.value !== "");
  const ended = () => { if (!isWriting()) location.reload(); };
  async function refresh() {
    isStale = document.hidden || isAsking;
    if (isStale) return;
    isAsking = true;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin", cache: "no-store" });
      if (answer.status === 401) return ended();
      if (!answer.ok && answer.status !== 404) return;
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      const focused = document.activeElement && document.activeElement.id;
      for (const now of document.querySelectorAll("[data-live]")) {
        const then = next.getElementById(now.id);
        if (!then || then.dataset.version === now.dataset.version) continue;
        if (now.hasAttribute("data-speaks")) {
          now.textContent = then.textContent;
          now.dataset.version = then.dataset.version;
        } else if (!(now.hasAttribute("data-keeps") && then.hasAttribute("data-keeps") && isWriting())) now.replaceWith(then);
      }
      document.title = next.title;
      const again = focused && document.getElementById(focused);
      if (again && again !== document.activeElement) again.focus({ preventScroll: true });
    } catch {} finally {
      isAsking = false;
      if (isStale) setTimeout(refresh, 200);
    }
  }
  let mark = document.body.dataset.mark;
  const events = new EventSource("/approvals/events");
  events.addEventListener("state", ({ data }) => {
    if (data === mark) return;
    mark = data;
    refresh();
  });
  events.addEventListener("end", () => { events.close(); ended(); });
  document.addEventListener("visibilitychange", () => { if (isStale) refresh(); });
  setInterval(refresh, 30000);
})();
`;
