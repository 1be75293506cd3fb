import { FileDomainService } from "./service.ts";

/** The service that a file tool was registered with. `TypeError` when there is none. */
export function presetService(value: unknown, tool: string): FileDomainService {
  if (FileDomainService.isInstance(value)) return value;
  throw new TypeError(`Register ${tool} with presets: { service }, a FileDomainService`);
}
