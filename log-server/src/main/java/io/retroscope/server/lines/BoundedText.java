// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

/**
 * A text that throws after a bounded number of reads, because some expressions need practically
 * unlimited time on some texts. Used by one thread.
 */
public final class BoundedText implements CharSequence {
  private static final long READS_PER_CHARACTER = 2_000;
  private static final long READS_ALWAYS = 10_000_000;

  private final String text;
  private long readsLeft;

  /** Thrown when an expression has read too much. */
  public static final class ExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ExhaustedException() {
      super("the text was read too often", null, false, false);
    }
  }

  /** The text, with a bound that grows with its length. */
  public BoundedText(String text) {
    this.text = text;
    this.readsLeft = READS_ALWAYS + READS_PER_CHARACTER * text.length();
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public char charAt(int index) {
    if (readsLeft-- <= 0) {
      throw new ExhaustedException();
    }
    return text.charAt(index);
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
