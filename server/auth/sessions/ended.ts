import { unauthorized } from "../../core/errors";

/** 401: the person has signed out, their session was ended, or they were removed from the account. */
export const sessionHasEnded = () => unauthorized("Your session has ended.", { reason: "no_session" });
