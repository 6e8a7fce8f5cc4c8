/** Defaults of the server, for its options and for the environment variables that set them. */
export const serverDefaults = {
  port: 8_080,
  tokens: [],
  allowedHosts: [],
  allowedOrigins: [],
  runTokenKeys: [],
  maxConnections: 10,
  bodyLimit: 1_048_576,
  timeouts: {},
  sweepIntervalMs: 300_000,
  schedules: true,
  maxRetentionDays: 365,
  auditRetentionDays: 365,
  deliveries: {},
  logger: false,
  version: "0.0.0",
  warmsUp: true,
} as const;
