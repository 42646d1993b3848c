import { expect, test } from "vitest";
import {
  connectionsOf,
  errorOf,
  errorsLeftOut,
  fitStage,
  OBSERVED,
  predict,
  type StageName,
  stageRate,
} from "./scaling-model";

const STAGES = Object.keys(OBSERVED) as StageName[];
// `+ 0`: no negative zero.
const percents = (errors: readonly number[]) => errors.map((error) => Math.round(error * 100) + 0);

test("a line of costs and the busy shares are recovered from measurements that follow them", () => {
  const exact = [1, 2, 4].map((processes) => {
    const [processUs, postgresUs] = [100 + 50 * processes, 80 + 20 * processes];
    const perSecond = (2_000_000 * 0.8) / (processUs + postgresUs);
    return { processes, perSecond, processUs, postgresUs, clientUs: 0 };
  });
  const { process, postgres, machineShare } = fitStage(exact);
  expect([process.single, process.each, postgres.single, postgres.each].map(Math.round)).toEqual([150, 50, 100, 20]);
  expect(machineShare).toBeCloseTo(0.8);
  for (const [index, error] of errorsLeftOut(exact).entries()) expect(error, `left out ${index}`).toBeCloseTo(0);
});

test("the errors of the fit are the ones in docs/scaling.md", () => {
  const errors = STAGES.map((stage) => {
    const fitted = fitStage(OBSERVED[stage]);
    return percents(OBSERVED[stage].map((each) => errorOf(stageRate(fitted, each.processes), each)));
  });
  expect(errors).toEqual([
    [0, -23, 5],
    [0, 2, 0],
  ]);
  expect(STAGES.map((stage) => percents(errorsLeftOut(OBSERVED[stage])))).toEqual([
    [-25, 74],
    [2, 0],
  ]);
});

test("a prediction never falls with more cores, and names the wall", () => {
  const rates = [2, 4, 8, 64].map((cores) => predict({ cores, web: 2, worker: 2 }, "alone"));
  expect(rates.map(({ perSecond }) => perSecond)).toEqual(
    rates.map(({ perSecond }) => perSecond).toSorted((one, other) => one - other),
  );
  expect(rates.map(({ wall }) => wall)).toEqual(["cores", "cores", "web", "web"]);
});

test("connections count every pool of every process", () => {
  expect(connectionsOf({ cores: 2, web: 1, worker: 1 }, 10)).toBe(51);
});
