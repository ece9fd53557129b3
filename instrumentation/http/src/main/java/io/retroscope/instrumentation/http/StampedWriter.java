// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import java.io.PrintWriter;

/**
 * The writer of a {@link StampedResponse}, which is stamped before its first character. All methods
 * for print, format and append call the methods below.
 */
final class StampedWriter extends PrintWriter {
  private final PrintWriter actual;
  private final StampedResponse response;

  StampedWriter(PrintWriter actual, StampedResponse response) {
    super(actual);
    this.actual = actual;
    this.response = response;
  }

  PrintWriter actual() {
    return actual;
  }

  @Override
  public void write(int character) {
    response.stamp();
    actual.write(character);
  }

  @Override
  public void write(char[] characters, int offset, int length) {
    response.stamp();
    actual.write(characters, offset, length);
  }

  @Override
  public void write(String text, int offset, int length) {
    response.stamp();
    actual.write(text, offset, length);
  }

  @Override
  public void println() {
    response.stamp();
    actual.println();
  }

  @Override
  public void flush() {
    response.stamp();
    actual.flush();
  }

  @Override
  public void close() {
    response.stamp();
    actual.close();
  }

  @Override
  public boolean checkError() {
    return actual.checkError();
  }
}
