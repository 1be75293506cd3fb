import { type Skill, task } from "../task.ts";

const tables: Record<string, RegExp> = {
  order_items: /order items|line items|订单明细/iu,
  orders: /orders?|订单/iu,
  customers: /customers?|客户|顾客/iu,
  products: /products?|商品|产品/iu,
  refunds: /refunds?|退款/iu,
  tickets: /tickets?|工单/iu,
};

/** What comes back: the task's handle, or the end itself where programs wait for it. */
interface Exported {
  task_id?: string;
  file?: string;
  rows?: number;
}

/** `Export the orders`, `导出订单` */
export const exportSkill: Skill = {
  id: "export",
  title: { en: "export a table in the background", zh: "在后台导出表格" },
  example: { en: "export the orders as CSV", zh: "导出客户表" },
  read(question, language) {
    if (!/\bexport\b|\bas (?:a )?csv\b|导出|输出为/iu.test(question)) return undefined;
    const table = Object.keys(tables).find((name) => tables[name]?.test(question));
    if (table === undefined) return undefined;
    const zh = language === "zh";
    return task<Exported>({
      kind: "export",
      tools: ["export_table"],
      understanding: zh ? `用户要把 ${table} 表导出为文件。` : `The user wants the table ${table} as a file.`,
      plan: zh ? "启动 export_table，它在后台运行。" : "Start export_table; it runs in the background.",
      target: zh ? "导出表格" : "Export a table",
      code: {
        python: `__result__ = export_table(table="${table}")`,
        javascript: `__result__ = await export_table({ table: "${table}" });`,
      },
      *calls() {
        const [exported] = yield [{ name: "export_table", input: { table } }];
        return exported as Exported;
      },
      answer: ({ task_id, file, rows }) => {
        if (file !== undefined) return zh ? `已写入 ${rows} 行：${file}` : `${rows} rows are in ${file}.`;
        return zh
          ? `已开始导出（${task_id}），完成后会在这里显示。`
          : `The export is running as ${task_id}; its end shows here.`;
      },
    });
  },
};
