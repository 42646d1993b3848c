import type { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { authOptions } from "@/server/auth/options";

export const dynamic = "force-dynamic";

// The options are made per request, since importing this file must not read the settings.
async function handle(request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }): Promise<Response> {
  const cookies: string[] = [];
  const response: Response = await NextAuth(
    request,
    context,
    authOptions((line) => cookies.push(line)),
  );
  for (const line of cookies) response.headers.append("set-cookie", line);
  return response;
}

export { handle as GET, handle as POST };
