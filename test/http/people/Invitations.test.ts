import { afterAll, expect, test } from "bun:test"
import { SMTPServer } from "smtp-server"
import { read } from "../../lib/Client.ts"
import { everywhere, Invited } from "../../lib/People.ts"
import { startServer } from "../../lib/TestServer.ts"

/* Invitations by e-mail, received by a real SMTP server. */

const received: Array<{ readonly to: string; readonly text: string }> = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onRcptTo: ({ address }, _, done) =>
    done(address.startsWith("nobody") ? Object.assign(new Error("No such user"), { responseCode: 550 }) : null),
  onData: async (stream, { envelope }, done) => {
    const text = await new Response(stream).text()
    received.push({ to: envelope.rcptTo[0]?.address ?? "", text: text.replaceAll("=\r\n", "").replaceAll("=3D", "=") })
    done()
  },
})
await new Promise<void>((done) => smtp.listen(0, "127.0.0.1", () => done()))
afterAll(() => smtp.close())

const { client } = await startServer({ SMTP_URL: `smtp://127.0.0.1:${Object(smtp.server.address()).port}` })

const people = "/api/admin/people"
const invite = async (more: object) =>
  read(Invited, await client.post(people, { json: { name: "Grace", roles: [everywhere("viewer")], ...more } }))

test("an invitation is sent to the person's address, and again when it is made again", async () => {
  const { invitation, person } = await invite({ email: "grace@example.com" })
  expect(invitation.email).toBe("sent")
  // Nobody sends words of their own to addresses of their choice.
  expect(received[0]?.text).not.toContain(person.name)
  expect(received).toMatchObject([{ to: "grace@example.com", text: expect.stringContaining(invitation.link) }])
  const again = read(Invited, await client.post(`${people}/${person.id}/invitation`))
  expect(again.invitation.email).toBe("sent")
  expect(received[1]?.text).toContain(again.invitation.link)
  expect(again.invitation.link).not.toBe(invitation.link)
})

test("nobody is written to without an address, or where the caller passes the link on", async () => {
  const before = received.length
  expect((await invite({})).invitation.email).toBeNull()
  expect((await invite({ email: "grace@example.com", send_email: false })).invitation.email).toBeNull()
  expect(received).toHaveLength(before)
})

test("an address that is refused is told at once, and the link is good all the same", async () => {
  const { invitation } = await invite({ email: "nobody@example.com" })
  expect(invitation).toMatchObject({ email: "failed", link: expect.stringContaining("#invitation=") })
})
