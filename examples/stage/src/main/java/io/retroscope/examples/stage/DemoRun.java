// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The frame of a demonstration: its temporary folder, and one sentence for any failure. */
public final class DemoRun {
  private static final long NEEDED_BYTES = 200L << 20;
  private static final Duration END_PATIENCE = Duration.ofSeconds(5);

  /** Left in the folder of the results: to remove it is not safe while another waits for it. */
  private static final String LOCK_FILE = ".lock";

  private DemoRun() {}

  /** The demonstration itself. */
  public interface Body {
    /**
     * Runs it to its end.
     *
     * @param folder a temporary folder, removed afterwards
     * @throws StageException with one sentence for users if it failed
     */
    void run(Path folder) throws StageException, IOException, InterruptedException;
  }

  /**
   * Runs a demonstration. If a signal ends this virtual machine before that, all its child
   * processes are killed, the temporary folder is removed, and a sentence is written to {@code
   * err}.
   *
   * @param outFolder the folder for its files; created if necessary
   * @param err for one sentence with the reason of a failure
   * @return 0, or 1 if it failed
   */
  public static int run(Path outFolder, DemoScreen screen, PrintWriter err, Body body) {
    AtomicBoolean signalled = new AtomicBoolean();
    try {
      checkRoom(outFolder);
      FileChannel lock = lock(outFolder);
      try {
        run(screen, err, body, signalled);
      } finally {
        lock.close();
      }
      return 0;
    } catch (StageException e) {
      return fail(screen, err, signalled, String.valueOf(e.getMessage()));
    } catch (IOException | UncheckedIOException e) {
      return fail(screen, err, signalled, "a file or connection failed: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return fail(screen, err, signalled, "interrupted");
    }
  }

  private static void run(DemoScreen screen, PrintWriter err, Body body, AtomicBoolean signalled)
      throws StageException, IOException, InterruptedException {
    Path folder = Files.createTempDirectory("retroscope-demo");
    Thread hook = new Thread(() -> endBySignal(folder, screen, err, signalled), "demo-end");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      body.run(folder);
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
        TemporaryFolders.delete(folder);
      } catch (IllegalStateException e) {
        // The virtual machine is shutting down: the hook does the rest.
      }
    }
  }

  /** Ends the processes first, so that none writes into a folder that is being removed. */
  private static void endBySignal(
      Path folder, DemoScreen screen, PrintWriter err, AtomicBoolean signalled) {
    signalled.set(true);
    List<ProcessHandle> children = ProcessHandle.current().children().toList();
    children.forEach(ProcessHandle::destroyForcibly);
    screen.endStatus();
    err.println("demo ended by a signal, and its processes with it");
    err.flush();
    try {
      CompletableFuture.allOf(
              children.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
          .get(END_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException | InterruptedException e) {
      // The folder is removed as far as possible.
    }
    TemporaryFolders.delete(folder);
  }

  /** Two demonstrations at once would overwrite each other's files. */
  private static FileChannel lock(Path outFolder) throws IOException, StageException {
    FileChannel file =
        FileChannel.open(
            outFolder.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean locked = false;
    try {
      locked = file.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      // Another one in this virtual machine has it.
    } finally {
      if (!locked) {
        file.close();
      }
    }
    if (!locked) {
      throw new StageException(
          "another demonstration writes to %s: wait for its end, or name another folder with --out"
              .formatted(outFolder));
    }
    return file;
  }

  /** After a signal, the end of a process is no failure of the demonstration. */
  private static int fail(
      DemoScreen screen, PrintWriter err, AtomicBoolean signalled, String sentence) {
    if (!signalled.get()) {
      screen.endStatus();
      err.println("demo failed: " + sentence);
      err.flush();
    }
    return 1;
  }

  /** Checks that the folder can be used, to fail before the run and not in the middle of it. */
  private static void checkRoom(Path outFolder) throws IOException, StageException {
    try {
      Files.createDirectories(outFolder);
    } catch (IOException e) {
      throw new StageException(
          Files.exists(outFolder)
              ? outFolder + " is a file: name a folder for the results with --out"
              : "cannot make the folder %s for the results: %s"
                  .formatted(outFolder, e.getMessage()),
          e);
    }
    for (Path folder : List.of(outFolder, Path.of(System.getProperty("java.io.tmpdir")))) {
      FileStore store = Files.getFileStore(folder);
      if (store.getUsableSpace() < NEEDED_BYTES) {
        throw new StageException(
            "the disk of %s has %d MB left, and the demo needs %d"
                .formatted(folder, store.getUsableSpace() >> 20, NEEDED_BYTES >> 20));
      }
    }
  }
}
