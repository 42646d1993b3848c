/** Response to a correct password if a second factor is required. */
export const SECOND_FACTOR_REQUIRED = "Enter the code of your authenticator app.";
