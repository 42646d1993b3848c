/**
 * OpenTelemetry spans. This file imports none of its packages: server/observability/tracing.ts loads them, and installs the
 * tracer, when OTEL_EXPORTER_OTLP_ENDPOINT is set. Without a tracer every function here only calls what it is given.
 *
 * Terms.
 * - subject: a message or an inbound message. Its trace follows from its id, so every process can add to it, and nothing is stored
 *   or passed along for it (docs/decisions/0035).
 * - Attributes are names, ids and counts: never a text, a number, an address or a secret.
 */
import { AsyncResource } from "node:async_hooks";
import { defineProcessValue } from "./process";

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanPlan = {
  name: string;
  /** server: a request to us; client: one of ours; consumer: a run of a job. */
  kind: "server" | "client" | "consumer";
  attributes?: Attributes;
  /** `traceparent` of the caller (W3C Trace Context): the trace to continue. A malformed one is ignored. */
  traceparent?: string | undefined;
  /** Puts the span into the trace of this subject, with a link to the current span. */
  subject?: string;
  /** Subjects of the span, and spans as {@link activeTrace} names them: the span is linked with the first of them. */
  subjects?: readonly string[] | undefined;
  traces?: readonly string[] | undefined;
};

/** A span in progress. */
export type Span = {
  rename: (name: string) => void;
  set: (attributes: Attributes) => void;
  /** Marks it as failed. `type`: one of a few fixed words. */
  fail: (type: string) => void;
};

export type Tracer = {
  run: <Result>(plan: SpanPlan, work: (span: Span) => Promise<Result>) => Promise<Result>;
  /** Begins the trace of a subject with its first span, from `startedAt` (milliseconds since 1970) until now. */
  begin: (name: string, subjects: readonly string[], startedAt: number) => void;
  /** Adds a span without a duration to the trace of a subject. */
  mark: (name: string, subject: string, at: Date) => void;
  outside: (work: () => void) => void;
  /** Links the moments that `work` marks with these spans, which it serves together. */
  serve: <Result>(traces: readonly (string | undefined)[], work: () => Result) => Result;
  active: () => string | undefined;
};

const installed = defineProcessValue("spans.tracer", (): { tracer: Tracer | null } => ({ tracer: null }));

/** Sets the tracer of this process; null: none. */
export function installTracer(tracer: Tracer | null): void {
  installed().tracer = tracer;
}

/**
 * Runs `work` within a span, which ends with it and is failed by a throw.
 * @param plan is asked only when there is a tracer.
 * @param work is given null without one.
 */
export function inSpan<Result>(plan: () => SpanPlan, work: (span: Span | null) => Promise<Result>): Promise<Result> {
  const { tracer } = installed();
  return tracer ? tracer.run(plan(), work) : work(null);
}

/** Begins the traces of subjects once they are stored, linked both ways with the current span. */
export function traceStored<Result>(
  name: string,
  storing: Promise<Result>,
  subjectsOf: (result: Result) => readonly string[],
): Promise<Result> {
  const { tracer } = installed();
  if (!tracer) return storing;
  const startedAt = Date.now();
  return storing.then((result) => {
    tracer.begin(name, subjectsOf(result), startedAt);
    return result;
  });
}

/** Adds steps of subjects, each a moment, to their traces. */
export function traceSteps(stepsOf: () => readonly { subject: string; name: string; at: Date }[]): void {
  const { tracer } = installed();
  if (tracer) for (const { subject, name, at } of stepsOf()) tracer.mark(name, subject, at);
}

/** Runs work that serves many callers: the span of the caller that happens to begin it is not its parent. */
export function outsideSpans(work: () => void): void {
  const { tracer } = installed();
  if (tracer) tracer.outside(work);
  else work();
}

/** Wraps `work`, which is called later and elsewhere, so that it runs within the current span. */
export const withinSpan = <Args extends unknown[]>(work: (...args: Args) => void): ((...args: Args) => void) =>
  installed().tracer ? AsyncResource.bind(work) : work;

/** Does the work of several callers at once: the moments that it marks are linked with the spans of all of them. */
export function forTraces<Result>(tracesOf: () => readonly (string | undefined)[], work: () => Result): Result {
  const { tracer } = installed();
  return tracer ? tracer.serve(tracesOf(), work) : work();
}

/** The current span as `traceparent`, to link a job with it; undefined when there is none, or it is not sampled. */
export const activeTrace = (): string | undefined => installed().tracer?.active();
