const development = process.env.NODE_ENV === "development";

// Next writes its boot script and the page's data inline, and Mantine its variables, hence 'unsafe-inline' without nonces.
const contentSecurityPolicy = [
  "default-src 'self'",
  `script-src 'self' 'unsafe-inline'${development ? " 'unsafe-eval'" : ""}`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  `connect-src 'self'${development ? " ws:" : ""}`,
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  typedRoutes: false,
  // The type check is a step of its own of `npm test`, over the whole tree; a first start need not wait for it.
  typescript: { ignoreBuildErrors: true },
  allowedDevOrigins: ["127.0.0.1"],
  turbopack: { root: import.meta.dirname },
  serverExternalPackages: [
    "pg",
    "@prisma/client",
    "@prisma/adapter-pg",
    "graphile-worker",
    "@node-rs/argon2",
    "trpc-to-openapi",
    "undici",
  ],
  experimental: {
    // Most builds are the first of a clone or an image: writing the cache takes longer than it ever saves there.
    turbopackFileSystemCacheForBuild: false,
    // No process reads them (node --enable-source-maps).
    turbopackSourceMaps: development,
  },
  headers: async () => [
    {
      source: "/:path*",
      headers: [
        { key: "Content-Security-Policy", value: contentSecurityPolicy },
        { key: "X-Content-Type-Options", value: "nosniff" },
        { key: "X-Frame-Options", value: "DENY" },
        { key: "Referrer-Policy", value: "strict-origin-when-cross-origin" },
        { key: "Permissions-Policy", value: "camera=(), microphone=(), geolocation=(), payment=()" },
      ],
    },
  ],
};

export default config;
