// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * A launcher that runs another program for the lifetime of the process that started it.
 *
 * <p>Its standard input is a pipe from that process. The pipe is closed when the process ends for
 * any reason, so no child outlives a killed demo.
 */
public final class GuardedMain {
  private GuardedMain() {}

  /**
   * Runs a class's {@code main}; if that throws, the process ends.
   *
   * @param args the class's name, and its arguments
   */
  public static void main(String[] args) throws Exception {
    Thread guard = new Thread(GuardedMain::haltWithParent, "parent-guard");
    guard.setDaemon(true);
    guard.start();
    try {
      Class.forName(args[0])
          .getMethod("main", String[].class)
          .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    } catch (InvocationTargetException e) {
      e.getTargetException().printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void haltWithParent() {
    try {
      while (System.in.read() >= 0) {
        // No data is ever sent; only the end of the pipe is relevant.
      }
    } catch (IOException e) {
      // A broken pipe is also the end.
    }
    Runtime.getRuntime().halt(0);
  }
}
