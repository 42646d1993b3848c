/** SQL: a sender's registration in India, as `dlt` of an OutboundMessage; null: none. `sender`: its alias. */
export const dltOf = (sender: string): string =>
  `CASE WHEN ${sender}.dlt_entity_id IS NOT NULL THEN json_build_object('entityId', ${sender}.dlt_entity_id,
    'templateId', ${sender}.dlt_template_id, 'templateCategory', ${sender}.dlt_template_category) END`;

/** SQL: {@link dltOf} of a message's sender, for statements that do not join it. `message`: alias of the message. */
export const dltOfMessage = (message: string): string =>
  `(SELECT ${dltOf("own_sender")} FROM senders own_sender
    WHERE own_sender.account_id = ${message}.account_id AND own_sender.sender_id = ${message}.from_sender)`;
