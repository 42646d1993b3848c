const development = process.env.NODE_ENV === "development";

/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  typedRoutes: false,
  // The type check is a step of its own of `npm test`, over the whole tree; a first start need not wait for it.
  typescript: { ignoreBuildErrors: true },
  allowedDevOrigins: ["127.0.0.1"],
  turbopack: { root: import.meta.dirname },
  // Browsers ask for this address where a page names no icon.
  rewrites: async () => [{ source: "/favicon.ico", destination: "/icon.svg" }],
  serverExternalPackages: [
    "pg",
    "@prisma/client",
    "@prisma/adapter-pg",
    "graphile-worker",
    "@node-rs/argon2",
    "@zxcvbn-ts/core",
    "@zxcvbn-ts/language-common",
    "@zxcvbn-ts/language-en",
    "trpc-to-openapi",
    "undici",
  ],
  experimental: {
    // Most builds are the first of a clone or an image: writing the cache takes longer than it ever saves there.
    turbopackFileSystemCacheForBuild: false,
    // No process reads them (node --enable-source-maps).
    turbopackSourceMaps: development,
  },
};

export default config;
