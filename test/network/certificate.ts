/** Certificates of test servers. */
import { generateKeyPairSync, sign } from "node:crypto";

/** A DER value: tag, length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const whole = Buffer.concat(content);
  const length = whole.length < 0x80 ? [whole.length] : [0x82, whole.length >> 8, whole.length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), whole]);
}

/** A self-signed certificate for a host (X.509, version 1). */
export function selfSigned(host: string): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = der(0x30, der(0x06, Buffer.from("2a8648ce3d040302", "hex")));
  const commonName = [der(0x06, Buffer.from("550403", "hex")), der(0x0c, Buffer.from(host))];
  const name = der(0x30, der(0x31, der(0x30, ...commonName)));
  const validity = der(0x30, ...["200101000000Z", "490101000000Z"].map((time) => der(0x17, Buffer.from(time))));
  const subjectKey = publicKey.export({ format: "der", type: "spki" });
  const signed = der(0x30, der(0x02, Buffer.of(1)), algorithm, name, validity, name, subjectKey);
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign("sha256", signed, privateKey)]));
  const pem = der(0x30, signed, algorithm, signature).toString("base64");
  return {
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${pem.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}
