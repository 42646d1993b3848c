const HELP = "# HELP ";

/** Metrics by their names, in the text format of Prometheus: each begins with a line of help. */
function blocksOf(text: string): Map<string, string[]> {
  const blocks = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split("\n").filter(Boolean)) {
    if (line.startsWith(HELP)) {
      lines = [];
      blocks.set(line.slice(HELP.length).split(" ", 1)[0] ?? "", lines);
    }
    lines.push(line);
  }
  return blocks;
}

/**
 * One text of two processes' metrics. The format requires all lines of a metric in one place, under one help and type; labels
 * distinguish the processes.
 */
export function mergeMetrics(own: string, other: string): string {
  const merged = blocksOf(own);
  for (const [name, lines] of blocksOf(other)) {
    const before = merged.get(name);
    merged.set(name, before ? [...before, ...lines.filter((line) => !line.startsWith("#"))] : lines);
  }
  return `${[...merged.values()].flat().join("\n")}\n`;
}
