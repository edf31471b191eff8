import { createHmac } from "node:crypto"

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** An identity token as a customer's own server makes it: a JSON Web Token with HS256. */
export const signIdentity = (secret: string, claims: object): string => {
  const signed = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(claims)}`
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}
