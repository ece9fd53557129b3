// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import org.jspecify.annotations.Nullable;

/**
 * A shutdown hook that closes a recorder. The JVM references a hook, and thereby the recorder's
 * classes, until the hook is removed.
 */
final class ShutdownHook extends Thread {
  private volatile @Nullable Recorder recorder;

  private ShutdownHook() {
    super("retroscope-recorder-shutdown");
    setContextClassLoader(null);
  }

  /** A hook that does nothing yet; null if the JVM is shutting down. */
  static @Nullable ShutdownHook register() {
    ShutdownHook hook = new ShutdownHook();
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return hook;
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /** Whether the JVM is shutting down. */
  static boolean isJvmEnding() {
    ShutdownHook hook = register();
    if (hook != null) {
      hook.remove();
    }
    return hook == null;
  }

  void watch(Recorder recorder) {
    this.recorder = recorder;
  }

  /** Removes the hook and its reference to the recorder. */
  void remove() {
    recorder = null;
    try {
      Runtime.getRuntime().removeShutdownHook(this);
    } catch (IllegalStateException e) {
      // The JVM is shutting down, and all hooks run.
    }
  }

  @Override
  public void run() {
    Recorder open = recorder;
    if (open != null) {
      open.close();
    }
  }
}
