import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LEAST_ROLES, memberRolesTable, ROLES, rolesTable } from "@/test/roles";
import { appRouter } from "./router";

test("every procedure has a declared role, and every declared role a procedure", () => {
  expect(Object.keys(ROLES).sort()).toEqual(Object.keys(appRouter._def.procedures).sort());
});

test("every procedure for an account's people says from which role on it is theirs", () => {
  const ofPeople = Object.keys(ROLES).filter((path) => ROLES[path] !== "anyone" && ROLES[path] !== "operator");
  expect(Object.keys(LEAST_ROLES).sort()).toEqual(ofPeople.sort());
});

test("the guide for security shows the roles as they are declared", () => {
  const guide = readFileSync("docs/security.md", "utf8");
  expect(guide).toContain(rolesTable());
  expect(guide).toContain(memberRolesTable());
});
