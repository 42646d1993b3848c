import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Whether two texts are equal, in constant time. */
export const sameText = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
