import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ROLES, rolesTable } from "@/test/roles";
import { appRouter } from "./router";

test("every procedure has a declared role, and every declared role a procedure", () => {
  expect(Object.keys(ROLES).sort()).toEqual(Object.keys(appRouter._def.procedures).sort());
});

test("the guide for security shows the roles as they are declared", () => {
  const guide = readFileSync("docs/security.md", "utf8");
  expect(guide).toContain(rolesTable());
});
