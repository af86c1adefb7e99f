/** An event that carries a message. */
export function messageEvent(id: string, text: string): string {
  return `event: message\nid: ${id}\ndata: ${text}\n\n`;
}

/** An event without a message: gives the client a place to come back to, and says how soon. */
export function primingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}
