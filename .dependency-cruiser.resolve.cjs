// The import alias of tsconfig.json, in the one form in which dependency-cruiser takes it without a TypeScript of its own.
// The client's imports name the files that its sources become.
module.exports = { resolve: { alias: { "@": __dirname }, extensionAlias: { ".js": [".ts", ".d.ts", ".js"] } } };
