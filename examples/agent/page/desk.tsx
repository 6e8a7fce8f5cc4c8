/** The view of the shop: refunds that wait for a decision. In a real shop this is a page for its employees. */
import { type ReactNode, useEffect, useState } from "react";

const EVERY_MS = 1_000;

interface Request {
  readonly id: string;
  readonly title: string;
}

export function Desk(): ReactNode {
  const [requests, setRequests] = useState<readonly Request[]>([]);
  useEffect(() => {
    const read = (): void => {
      void fetch("/api/approvals")
        .then(async (response) => setRequests((await response.json()) as Request[]))
        .catch(() => {});
    };
    read();
    const timer = setInterval(read, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const decide = async (id: string, decision: "approved" | "rejected"): Promise<void> => {
    const body = JSON.stringify({ decision });
    await fetch(`/api/approvals/${id}`, { method: "POST", body }).catch(() => {});
    setRequests((shown) => shown.filter((request) => request.id !== id));
  };
  return (
    <section aria-label="Desk" className="desk">
      <h2>Desk of the shop</h2>
      {requests.length === 0 ? <p>No refund waits for a decision.</p> : null}
      {requests.map(({ id, title }) => (
        <p key={id}>
          {title}{" "}
          <button type="button" onClick={() => void decide(id, "approved")}>
            Approve
          </button>{" "}
          <button type="button" onClick={() => void decide(id, "rejected")}>
            Reject
          </button>
        </p>
      ))}
    </section>
  );
}
