/** Pages of the dashboard, whose paths are in the fragments of urls: links without the `#` lead there too. */
import type { FastifyRequest } from "fastify";

/** Whether a browser asks for a page, and not a program for an answer. */
export const opensPage = ({ method, url, headers }: FastifyRequest): boolean =>
  method === "GET" && !/^\/v1(?:\/|$)/.test(url) && headers.accept?.includes("text/html") === true;

/** @param dashboard Url of the dashboard. */
export const pageOf = (dashboard: string, path: string): string =>
  `${dashboard}#${new URL(`/${path.replace(/^\/+/, "")}`, "http://_").href.slice("http://_".length)}`;
