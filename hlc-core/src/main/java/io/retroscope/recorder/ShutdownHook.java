package io.retroscope.recorder;

import org.jspecify.annotations.Nullable;

/**
 * Closes a recorder when the JVM ends. The JVM holds a hook, and with it the recorder's classes,
 * until the hook is removed.
 */
final class ShutdownHook extends Thread {
  private volatile @Nullable Recorder recorder;

  private ShutdownHook() {
    super("retroscope-recorder-shutdown");
    setContextClassLoader(null);
  }

  /** A hook that does nothing yet; null if the JVM is ending. */
  static @Nullable ShutdownHook register() {
    ShutdownHook hook = new ShutdownHook();
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return hook;
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /** Whether the JVM has begun to end. */
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

  /** Lets go of the recorder. */
  void remove() {
    recorder = null;
    try {
      Runtime.getRuntime().removeShutdownHook(this);
    } catch (IllegalStateException e) {
      // The JVM is ending, and all hooks run.
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
