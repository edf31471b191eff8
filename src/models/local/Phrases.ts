/* The sentences that `local/extractive` says by itself. */

export const greeting = "Hello! Ask me a question, and I will look for the answer in the knowledge base."
export const nothingFound = "I found nothing about that in the knowledge base."
export const searchFailed = "I could not search the knowledge base just now. Please try again in a moment."
export const closest = "I found no direct answer. This is the closest passage:"
