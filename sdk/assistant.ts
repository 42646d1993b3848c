/** The command `mcp` with an assistant at its other end, for tests. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const COMMAND = ["--import", "tsx", "sdk/src/cli/main.ts", "mcp"];

/** Starts the command. `call` resolves to the JSON of a tool's result. @throws of `call`: Error with the text of a failure. */
export async function startAssistant(baseUrl: string, apiKey: string, ...options: string[]) {
  const client = new Client({ name: "test", version: "1" });
  const env = { BASE_URL: baseUrl, API_KEY: apiKey };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...COMMAND, ...options], env }));
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [{ text }] = content as [{ text: string }];
    if (isError) throw new Error(text);
    return JSON.parse(text);
  };
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  return { call, tools, stop: () => client.close() };
}
