// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import io.retroscope.clock.HlcTimestamp;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The stamp of a message between servers. Immutable.
 *
 * <pre>
 *   text: &lt;the stamp's 8 bytes, 16 hexadecimal digits&gt;[/&lt;id&gt;/&lt;from&gt;]
 * </pre>
 *
 * @param hlc packed, created when the message was sent
 * @param from the sending node if the message itself is recorded, otherwise empty
 * @param id the identity of the message among the sender's recorded messages, without a slash;
 *     empty if it is not recorded
 */
record Stamp(long hlc, String from, String id) {
  /** The longest text that is read. */
  static final int MAX_TEXT_LENGTH = 500;

  private static final int HEX_DIGITS = 16;

  Stamp(long hlc) {
    this(hlc, "", "");
  }

  /** Whether both ends of the message are events. */
  boolean isOfRecordedMessage() {
    return !id.isEmpty();
  }

  /** The identity of a recorded message, the same at both ends. */
  static String messageId(String from, String id) {
    return from + "/" + id;
  }

  String text() {
    String digits = HexFormat.of().toHexDigits(HlcTimestamp.toWire(hlc));
    return isOfRecordedMessage() ? digits + "/" + id + "/" + from : digits;
  }

  /** The stamp in a text, or null if there is none. */
  static @Nullable Stamp parse(String text) {
    if (text.length() < HEX_DIGITS || text.length() > MAX_TEXT_LENGTH) {
      return null;
    }
    long hlc;
    try {
      hlc = HlcTimestamp.fromWire(Long.parseUnsignedLong(text, 0, HEX_DIGITS, 16));
    } catch (NumberFormatException e) {
      return null;
    }
    int slash = text.indexOf('/', HEX_DIGITS + 1);
    return slash < 0 || text.charAt(HEX_DIGITS) != '/'
        ? new Stamp(hlc)
        : new Stamp(hlc, text.substring(slash + 1), text.substring(HEX_DIGITS + 1, slash));
  }
}
