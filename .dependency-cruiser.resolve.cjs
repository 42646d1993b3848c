// The import alias of tsconfig.json, in the one form in which dependency-cruiser takes it without a TypeScript of its own.
module.exports = { resolve: { alias: { "@": __dirname } } };
