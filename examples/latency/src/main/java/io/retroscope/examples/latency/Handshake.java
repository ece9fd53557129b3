// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The proof that a connecting node has the token: the listener sends a random challenge, the other
 * its HMAC-SHA256 and the size of its frames.
 */
final class Handshake {
  private static final int CHALLENGE_BYTES = 16;
  private static final int PROOF_BYTES = 32;
  private static final int TIMEOUT_MILLIS = 5_000;

  private Handshake() {}

  /**
   * The listener's side.
   *
   * @throws IOException if the other does not have the token or another frame size
   */
  static void accept(Socket socket, LatencyOptions options) throws IOException {
    socket.setSoTimeout(TIMEOUT_MILLIS);
    byte[] challenge = new byte[CHALLENGE_BYTES];
    new SecureRandom().nextBytes(challenge);
    socket.getOutputStream().write(challenge);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] proof = new byte[PROOF_BYTES];
    in.readFully(proof);
    int frameBytes = in.readInt();
    if (!MessageDigest.isEqual(proof, proof(options.token(), challenge))) {
      throw new IOException("a node with another token was refused");
    }
    if (frameBytes != options.frameBytes()) {
      throw new IOException(
          "a node with frames of %d bytes instead of %d was refused"
              .formatted(frameBytes, options.frameBytes()));
    }
    socket.setSoTimeout(0);
    socket.setTcpNoDelay(true);
  }

  /** The connecting side. */
  static void prove(Socket socket, LatencyOptions options) throws IOException {
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    byte[] challenge = new byte[CHALLENGE_BYTES];
    new DataInputStream(socket.getInputStream()).readFully(challenge);
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.write(proof(options.token(), challenge));
    out.writeInt(options.frameBytes());
    out.flush();
    socket.setSoTimeout(0);
  }

  private static byte[] proof(String token, byte[] challenge) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return mac.doFinal(challenge);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }
}
