/** An email as it is stored and compared. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();
