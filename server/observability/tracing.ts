/**
 * Traces for OpenTelemetry, exported to OTEL_EXPORTER_OTLP_ENDPOINT. Its packages are loaded by `import()` here and nowhere else,
 * so that a process without that setting never reads them. Nothing is registered globally: Next would add spans of its own,
 * with paths and addresses.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import type { Context, SpanContext } from "@opentelemetry/api";
import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import { MINUTE_MS, SECOND_MS } from "../core/clock";
import { env } from "../core/env";
import { log } from "../core/log";
import { onShutdown } from "../core/process";
import { installTracer, type Span, type SpanPlan, type Tracer } from "../core/spans";
import { readTraceparent, traceOf, traceparentOf } from "./subject-trace";

/** An unresponsive collector delays the end of a process by at most this. */
const LAST_EXPORT_MS = 2 * SECOND_MS;
const COMPLAIN_EVERY_MS = MINUTE_MS;
/** Links of one span; a dispatch job may carry 250 messages. */
const LINKS_MAX = 100;

/** The packages, loaded. */
const load = async () => ({
  api: await import("@opentelemetry/api"),
  sdk: await import("@opentelemetry/sdk-trace-base"),
  resources: await import("@opentelemetry/resources"),
  exporter:
    env().OTEL_EXPORTER_OTLP_PROTOCOL === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto"),
});

type Packages = Awaited<ReturnType<typeof load>>;

/** Logs that traces are not exported, once a minute at most. */
function complaining(exporter: SpanExporter): SpanExporter {
  let quietUntil = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        done(result);
        if (result.code === 0 || performance.now() < quietUntil) return;
        quietUntil = performance.now() + COMPLAIN_EVERY_MS;
        log("warn", "traces.not_exported", { spans: spans.length, error: result.error?.message ?? "unknown" });
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/**
 * Begins to trace; without OTEL_EXPORTER_OTLP_ENDPOINT it does nothing. The sampler, the queue, headers and so on are set by
 * the standard variables of OpenTelemetry, which its packages read themselves.
 */
export async function startTracing(kind: "web" | "worker"): Promise<void> {
  if (env().OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return;
  const packages = await load();
  const { sdk, resources, exporter } = packages;
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const ids = fixableIds(new sdk.RandomIdGenerator());
  const provider = new sdk.BasicTracerProvider({
    idGenerator: ids,
    resource: resources
      .resourceFromAttributes({ "service.name": `messaging-service-${kind}`, "service.version": version })
      .merge(resources.detectResources({ detectors: [resources.envDetector, resources.serviceInstanceIdDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(complaining(new exporter.OTLPTraceExporter()))],
  });
  installTracer(makeTracer(packages, provider.getTracer("messaging-service", version), ids.fix));
  onShutdown(async () => {
    installTracer(null);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_EXPORT_MS);
    });
    await Promise.race([provider.shutdown().catch(() => undefined), patience]);
    clearTimeout(timer);
  });
  log("info", "traces.ready", { process: kind });
}

type Ids = { traceId: string; spanId: string };

/** An id generator whose next ids can be chosen, for the first span of a subject. */
function fixableIds(random: { generateTraceId: () => string; generateSpanId: () => string }) {
  let fixed: Ids | null = null;
  return {
    generateTraceId: () => fixed?.traceId ?? random.generateTraceId(),
    generateSpanId: () => fixed?.spanId ?? random.generateSpanId(),
    fix: <Result>(ids: Ids, work: () => Result): Result => {
      fixed = ids;
      try {
        return work();
      } finally {
        fixed = null;
      }
    },
  };
}

type ApiTracer = ReturnType<InstanceType<Packages["sdk"]["BasicTracerProvider"]>["getTracer"]>;
type ApiSpan = ReturnType<ApiTracer["startSpan"]>;
type Fix = ReturnType<typeof fixableIds>["fix"];

/** Contexts of spans of other processes and of subjects, which are only named here. */
function makeNaming({ api }: Packages, tracer: ApiTracer, fix: Fix) {
  const { NONE, SAMPLED } = api.TraceFlags;
  return {
    /** The span that a header or a stored text names; null: none. */
    named: (traceparent: string | undefined): SpanContext | null => {
      const read = traceparent === undefined ? null : readTraceparent(traceparent);
      if (!read) return null;
      const { traceId, spanId, isSampled } = read;
      return { traceId, spanId, traceFlags: isSampled ? SAMPLED : NONE, isRemote: true };
    },
    // Samplers look at the trace's id, so every process decides alike about a subject. Such a span never ends and is not exported.
    rootOf: (subject: string): SpanContext => {
      const { traceId, spanId, traceFlags } = fix(traceOf(subject), () =>
        tracer.startSpan("", {}, api.ROOT_CONTEXT),
      ).spanContext();
      return { traceId, spanId, traceFlags, isRemote: true };
    },
  };
}

const linkTo = (context: SpanContext) => ({ context });

function makeTracer(packages: Packages, tracer: ApiTracer, fix: Fix): Tracer {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } = packages.api;
  const { named, rootOf } = makeNaming(packages, tracer, fix);
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };
  const contexts = new AsyncLocalStorage<Context>();
  /** The spans of callers whose work is done together, if no span is under way. */
  const served = new AsyncLocalStorage<readonly SpanContext[]>();
  const activeSpan = () => trace.getSpan(contexts.getStore() ?? ROOT_CONTEXT);

  const begin = ({ name, kind, attributes, traceparent, subject, subjects = [], traces = [] }: SpanPlan) => {
    const under = activeSpan();
    const given = subject === undefined ? named(traceparent) : rootOf(subject);
    const parent = given ? trace.setSpanContext(ROOT_CONTEXT, given) : (contexts.getStore() ?? ROOT_CONTEXT);
    const links = [
      ...(subject !== undefined && under ? [under.spanContext()] : []),
      ...subjects.slice(0, LINKS_MAX).map(rootOf),
      ...traces.slice(0, LINKS_MAX).flatMap((text) => named(text) ?? []),
    ];
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes, links: links.map(linkTo) }, parent);
    return { span, context: trace.setSpan(parent, span) };
  };

  const fail = (span: ApiSpan, type: string) => {
    span.setAttribute("error.type", type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };
  const ownSpan = (span: ApiSpan): Span => ({
    fail: (type) => fail(span, type),
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
  });

  return {
    run: (plan, work) => {
      const { span, context } = begin(plan);
      return contexts.run(context, async () => {
        try {
          return await work(ownSpan(span));
        } catch (thrown) {
          fail(span, thrown instanceof Error ? thrown.name : "unknown");
          throw thrown;
        } finally {
          span.end();
        }
      });
    },
    begin: (name, subjects, startTime) => {
      const under = activeSpan();
      const links = under ? [linkTo(under.spanContext())] : [];
      for (const subject of subjects) {
        fix(traceOf(subject), () =>
          tracer.startSpan(name, { startTime, links, attributes: idOf(subject) }, ROOT_CONTEXT),
        ).end();
      }
      under?.addLinks(subjects.slice(0, LINKS_MAX).map((subject) => linkTo(rootOf(subject))));
    },
    mark: (name, subject, at) => {
      const under = activeSpan();
      const links = under ? [linkTo(under.spanContext())] : (served.getStore() ?? []).map(linkTo);
      const parent = trace.setSpanContext(ROOT_CONTEXT, rootOf(subject));
      tracer.startSpan(name, { startTime: at, links, attributes: idOf(subject) }, parent).end(at);
    },
    outside: (work) => contexts.exit(work),
    serve: (traces, work) => {
      const distinct = [...new Set(traces)].slice(0, LINKS_MAX);
      return served.run(
        distinct.flatMap((text) => named(text) ?? []),
        work,
      );
    },
    active: () => {
      const context = activeSpan()?.spanContext();
      const isSampled = ((context?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0;
      return context && isSampled ? traceparentOf(context, true) : undefined;
    },
  };
}

const idOf = (subject: string) => ({ "messaging.message.id": subject });
