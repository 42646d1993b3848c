/** SQL about scheduled messages. `message`: alias of `messages` in the statement. */

/** Whether it is time to send the message, by the database's clock. */
export const isDue = (message: string): string =>
  `(${message}.scheduled_at IS NULL OR ${message}.scheduled_at <= clock_timestamp())`;
