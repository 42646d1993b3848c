import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LEAST_ROLES, memberRolesTable, ROLES, rolesTable } from "@/test/roles";
import { appRouter } from "./router";

test("every procedure has a declared role, and every declared role has a procedure", () => {
  expect(Object.keys(ROLES).sort()).toEqual(Object.keys(appRouter._def.procedures).sort());
});

test("every procedure for an account's people declares the lowest role that may use it", () => {
  const ofPeople = Object.keys(ROLES).filter((path) => ROLES[path] !== "anyone" && ROLES[path] !== "operator");
  expect(Object.keys(LEAST_ROLES).sort()).toEqual(ofPeople.sort());
});

test("the security guide shows the roles as declared", () => {
  const guide = readFileSync("docs/security.md", "utf8");
  expect(guide).toContain(rolesTable());
  expect(guide).toContain(memberRolesTable());
});
