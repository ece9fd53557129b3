// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import java.io.IOException;
import java.nio.file.Path;

/** A program that shows a text a screen at a time. */
interface Pager {
  /** The number of lines that fit the screen. */
  int height();

  /**
   * Shows a text until the user has left it.
   *
   * @throws IOException if the program cannot be started
   */
  void show(Path text) throws IOException;
}
