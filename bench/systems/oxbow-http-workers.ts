import { overHttp } from "./over-http.ts";

export const system = overHttp("direct");
