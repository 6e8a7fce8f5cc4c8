/** What is typed, once it has stayed for a while: so that the server is not asked for each key. */
import { useEffect, useState } from "react";

const SETTLES_AFTER_MS = 250;

export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLES_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
