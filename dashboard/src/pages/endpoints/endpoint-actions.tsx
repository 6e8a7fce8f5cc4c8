import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import {
  type Endpoint,
  endpointsQuery,
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
  syncEndpoint,
} from "../../api/endpoints.ts";
import { maskedUrl } from "../../../../declared/src/net/masked-url.ts";
import { FormButton } from "../../parts/form-dialog.tsx";
import { attempt, note } from "../../shell/notes.tsx";

export function EndpointActions({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const { endpointId: id, isPaused } = endpoint;
  const url = maskedUrl(endpoint.url);
  const queries = useQueryClient();
  const refresh = (): Promise<void> =>
    queries.invalidateQueries({ queryKey: endpointsQuery.queryKey });
  const change = async (
    verb: string,
    work: () => Promise<unknown>,
    done: string,
  ): Promise<void> => {
    await attempt(`${verb} endpoint ${id}`, async () => {
      await work();
      note(done);
    });
    await refresh();
  };
  return (
    <div className="buttons">
      {isPaused ? (
        <button
          type="button"
          className="quiet"
          aria-label={`Resume ${url}`}
          onClick={() => void change("resume", () => resumeEndpoint(id), `Endpoint ${id} resumed.`)}
        >
          Resume
        </button>
      ) : (
        <>
          <button
            type="button"
            className="quiet"
            aria-label={`Check ${url}`}
            onClick={() =>
              void change("check", () => syncEndpoint(id), `A server will check endpoint ${id}.`)
            }
          >
            Check
          </button>
          <button
            type="button"
            className="quiet"
            aria-label={`Pause ${url}`}
            onClick={() => void change("pause", () => pauseEndpoint(id), `Endpoint ${id} paused.`)}
          >
            Pause
          </button>
        </>
      )}
      <FormButton
        button="Remove"
        look="quiet"
        label={`Remove ${url}`}
        title={`Remove endpoint ${id}?`}
        action="Remove the endpoint"
        isDangerous
        onSubmit={async () => {
          await removeEndpoint(id);
          note(`Endpoint ${id} removed.`);
          await refresh();
        }}
      >
        <p>Servers push no more runs to {url}. Runs that it executes continue.</p>
      </FormButton>
    </div>
  );
}
