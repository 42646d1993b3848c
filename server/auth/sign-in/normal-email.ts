/** An email as it is kept and compared. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();
