/** A chat of `useChat`, which resumes an answer in progress when it is mounted. */
import { useChat } from "@ai-sdk/react";
import { getToolName, isToolUIPart, type UIMessage } from "ai";
import { type ReactNode, useEffect, useState } from "react";

export function Chat({
  chatId,
  messages: before,
  onLost,
}: {
  readonly chatId: string;
  readonly messages: UIMessage[];
  readonly onLost: () => void;
}): ReactNode {
  const { messages, sendMessage, status, error } = useChat({
    id: chatId,
    messages: before,
    resume: true,
  });
  const [question, setQuestion] = useState("");
  // A connection that breaks is no refusal: the answer continues without this page.
  const isLost = error instanceof TypeError;
  useEffect(() => {
    if (isLost) onLost();
  }, [isLost, onLost]);
  const isBusy = status === "submitted" || status === "streaming";
  return (
    <section aria-label="Chat">
      <ol className="messages" aria-live="polite">
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {numbered(parts).map(([key, part]) => (
              <Part key={key} part={part} />
            ))}
          </li>
        ))}
      </ol>
      <p role="status">{isBusy ? "Answering…" : ""}</p>
      {error === undefined || isLost ? null : <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (question.trim() === "") return;
          void sendMessage({ text: question });
          setQuestion("");
        }}
      >
        <label>
          Your question
          <input value={question} onChange={({ target }) => setQuestion(target.value)} />
        </label>
        <button type="submit" disabled={isBusy}>
          Send
        </button>
      </form>
    </section>
  );
}

type MessagePart = UIMessage["parts"][number];

/** Parts have no id, and keep their places. */
const numbered = (parts: readonly MessagePart[]): (readonly [key: string, part: MessagePart])[] =>
  parts.map((part, n) => [`${part.type} ${n}`, part]);

function Part({ part }: { readonly part: MessagePart }): ReactNode {
  if (part.type === "text") return <p className="text">{part.text}</p>;
  if (!isToolUIPart(part)) return null;
  return (
    <p className="tool">
      {getToolName(part)}: {stateOf(part)}
    </p>
  );
}

function stateOf({
  state,
  errorText,
}: {
  readonly state: string;
  readonly errorText?: string | undefined;
}): string {
  if (state === "output-available") return "done";
  return state === "output-error" ? (errorText ?? "failed") : "in progress";
}
