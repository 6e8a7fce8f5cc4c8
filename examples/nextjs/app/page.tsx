"use client";
import { useActionState } from "react";
import { signUp } from "./sign-up";

export default function SignUpPage() {
  const [problem, action, isPending] = useActionState(signUp, null);
  return (
    <>
      <h1>Join the rowing club</h1>
      <form action={action}>
        <label htmlFor="email">Email</label>
        <input id="email" name="email" type="email" autoComplete="email" required />
        <button disabled={isPending}>Sign up</button>
      </form>
      {problem !== null && <p role="alert">{problem}</p>}
    </>
  );
}
