import type { Workspace } from "./workspace.ts";

export interface SettingsOptions {
  readonly port: number;
  readonly workspace: Workspace;
  readonly durable: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

/** The server's configuration parameters as arguments, the caller's last, so that they win. */
export function serverArguments(options: SettingsOptions): string[] {
  const { port, workspace, durable, settings } = options;
  const all: Record<string, string> = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: process.platform === "win32" ? "" : workspace.socketDir,
    ...(workspace.extensionDir !== undefined && {
      extension_control_path: `${workspace.extensionDir}:$system`,
    }),
    // Without fsync a crash of the machine loses data; a crash of the server doesn't.
    ...(!durable && { fsync: "off", full_page_writes: "off" }),
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
