#!/usr/bin/env node
// Here before anything is built, so that `npm ci` in a checkout links the command.
await import("../dist/main.js");
