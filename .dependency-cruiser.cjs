// The one-way rule of CONTRIBUTING.md, as errors, and no cycles. What is imported for its types only leaves no trace at
// run time and is not counted.

const swc = require("@swc/core");

// The parser here knows TypeScript but neither JSX nor which imports are for types only: tell it the one, take out the other.
const parseFile = swc.parseFileSync;
const isTypeOnly = ({ type, typeOnly, specifiers = [] }) =>
  (type === "ImportDeclaration" || type === "ExportNamedDeclaration") &&
  (typeOnly || (specifiers.length > 0 && specifiers.every((specifier) => specifier.isTypeOnly)));
swc.parseFileSync = (file, options) => {
  const parsed = parseFile(file, { ...options, tsx: file.endsWith(".tsx") });
  return { ...parsed, body: parsed.body.filter((item) => !isTypeOnly(item)) };
};

/** A subject's folder, or one of its stages' below it. */
const ROOM = "^server/.+/";

const TEST = "\\.test\\.ts$";
/** A unit test; one that wants a database is called `.db.test.ts`. */
const UNIT_TEST = "(?<!\\.db)\\.test\\.ts$";
const SETTINGS_AND_DATABASE = "^(server/core/(db|env)\\.ts$|prisma/)";
/** Pages that answer before anybody is signed in, and the frames around all others. */
const ASKS_FOR_SESSION = ["layout\\.tsx$", "^app/\\(auth\\)/[^/]+/page\\.tsx$"];

/** What `from` imports must not match `to`. */
const never = (name, from, to, comment) => ({ name, comment, severity: "error", from, to });

/** What `from` imports must match `allowed`, other than packages and what Node brings. */
const only = (name, from, allowed, comment) =>
  never(name, from, { pathNot: ["node_modules", ...allowed], dependencyTypesNot: ["core"] }, comment);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    never("no-cycle", {}, { circular: true }, "Two files that need each other are one file, or a third is missing."),
    never(
      "no-unresolvable",
      {},
      { couldNotResolve: true },
      "An import that is not found is an edge that is not checked.",
    ),
    never("no-test-imported", { pathNot: TEST }, { path: TEST }, "Tests are imported by nobody."),
    never(
      "no-dev-dependency",
      { path: "^(app|server|worker|prisma)/", pathNot: TEST },
      { dependencyTypes: ["npm-dev"], pathNot: "node_modules/@types/" },
      "What runs in production has its packages in `dependencies`.",
    ),

    only(
      "core-is-the-ground-floor",
      { path: "^server/core/", pathNot: TEST },
      ["^server/core/", "^prisma/generated/"],
      "core imports packages, the generated client and itself.",
    ),
    never(
      "only-core-holds-the-client",
      { path: "^(app|server|worker|scripts|bench)/", pathNot: "^server/core/db\\.ts$" },
      { path: "^prisma/generated/" },
      "Everybody else takes prisma() or pool() from core/db.",
    ),
    never(
      "migrations-need-no-client",
      { path: "^prisma/(migrate|queue-indexes|patiently|turn|unfinished)\\.ts$" },
      { path: "^prisma/generated/", reachable: true },
      "On a fresh clone the migrations run before the client is generated.",
    ),
    never(
      "schema-knows-shapes-only",
      { path: `${ROOM}[a-z-]*schema\\.ts$` },
      { path: "^server/core/(?!wire\\.ts$)" },
      "Of core, a schema may know core/wire.",
    ),
    never(
      "schema-is-pure",
      { path: `${ROOM}[a-z-]*schema\\.ts$` },
      { path: "^(server/core/(db|env|clock|jobs|add-jobs)\\.ts$|prisma/)", reachable: true },
      "A schema reaches no database, settings or clock, by no detour: the browser imports it too.",
    ),
    never(
      "present-is-pure",
      { path: `${ROOM}present\\.ts$` },
      { path: "^(server/core/(db|env|clock|jobs|add-jobs)\\.ts$|prisma/)" },
      "A presenter turns a row into a shape and asks nobody.",
    ),
    never(
      "rules-are-pure",
      { path: `^server/(?!core/|api/).*${UNIT_TEST}` },
      { path: "^(server/core/db\\.ts$|prisma/)", reachable: true },
      "What is tested without a database must not reach one.",
    ),
    never(
      "store-is-below-service",
      { path: `${ROOM}(store|present|schema)\\.ts$` },
      { path: `${ROOM}(service|tasks|router)\\.ts$` },
      "Services call the store, not the other way round.",
    ),
    only(
      "router-is-thin",
      { path: "^server/(?!api/)([^/]+)/.*router\\.ts$" },
      [
        "^server/core/(trpc|wire)\\.ts$",
        "^server/lists/schema\\.ts$",
        "^server/$1/(?!.*\\b(store|tasks|present)\\.ts$)",
      ],
      "A procedure knows core/trpc, core/wire, the page of a list, and its own subject's shapes and services.",
    ),
    never(
      "router-is-called-by-api-only",
      { path: "^(server|worker|scripts)/", pathNot: ["^server/api/", TEST] },
      { path: `${ROOM}router\\.ts$` },
      "Doors are opened by server/api.",
    ),
    never(
      "subjects-do-not-know-the-api",
      { path: "^server/(?!api/)[^/]+/", pathNot: TEST },
      { path: "^server/(api/|(main|pages)\\.ts$)" },
      "server/api composes the subjects; no subject knows it.",
    ),
    only(
      "main-composes",
      { path: "^server/(main|pages)\\.ts$" },
      ["^server/(api|auth|core|observability)/"],
      "The web process hands every request over; the pages process hands them to Next.",
    ),
    never(
      "server-is-below-the-rest",
      { path: "^server/", pathNot: TEST },
      { path: "^(app|worker|e2e|test|bench|scripts)/" },
      "Imports go down.",
    ),

    never(
      "pages-reach-no-database",
      { path: "^app/(?!api/|_trpc/)", pathNot: [...ASKS_FOR_SESSION, "page\\.tsx$"] },
      { path: SETTINGS_AND_DATABASE, reachable: true },
      "What a page is made of asks through tRPC; of server it may know shapes and pure rules.",
    ),
    never(
      "pages-reach-no-service",
      { path: "^app/(?!api/).*page\\.tsx$", pathNot: ASKS_FOR_SESSION },
      { path: "^(server/core/db\\.ts$|prisma/)", reachable: true },
      "A page may ask how this installation is set up; everything else it asks through tRPC.",
    ),
    only(
      "layouts-know-the-session-only",
      { path: ASKS_FOR_SESSION },
      ["^app/", "^server/auth/sessions/require-session\\.ts$"],
      "Whether somebody is signed in is all that a layout asks of the server.",
    ),
    only(
      "texts-stand-alone",
      { path: "^app/_texts/", pathNot: TEST },
      ["^app/_texts/"],
      "Texts know shapes of the server, and call nothing: every page loads the texts that it shows.",
    ),
    only(
      "route-files-delegate",
      { path: "^app/(api|_trpc)/" },
      ["^app/", "^server/(api|auth)/"],
      "A route file is one line into server/api or server/auth.",
    ),
    only(
      "worker-runs-tasks",
      { path: "^worker/", pathNot: TEST },
      ["^worker/", "^server/(core/|[^/]+/tasks\\.ts$)"],
      "The worker knows core and the subjects' tasks.",
    ),
    only(
      "the-client-stands-alone",
      { path: "^sdk/" },
      ["^sdk/"],
      "What is shipped to callers takes nothing of the service but its document.",
    ),
    only(
      "specs-use-the-wire",
      { path: "^e2e/(api|console|security|smoke)/" },
      ["^(e2e|test)/", "^sdk/", "^scripts/free-port\\.ts$"],
      "An end-to-end test knows the running service and the client that we ship; support/ may seed.",
    ),
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    moduleSystems: ["es6", "cjs"],
    doNotFollow: { path: ["node_modules", "^prisma/generated/"] },
    webpackConfig: { fileName: ".dependency-cruiser.resolve.cjs" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mjs", ".js", ".cjs", ".json", ".d.ts"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
