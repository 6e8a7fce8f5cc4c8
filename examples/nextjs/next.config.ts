import type { NextConfig } from "next";

const config: NextConfig = {
  // `oxbow dev` asks the route every two seconds what it serves.
  logging: { incomingRequests: { ignore: [/^\/api\/oxbow$/] } },
};

export default config;
