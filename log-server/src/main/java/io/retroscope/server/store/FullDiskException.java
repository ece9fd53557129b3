package io.retroscope.server.store;

import java.nio.file.Path;

/** The disk has no room for what is to be written. */
final class FullDiskException extends StoreException {
  private static final long serialVersionUID = 1;

  FullDiskException(Path directory, Throwable cause) {
    super(
        "the disk of " + directory + " is full: free space there (" + cause.getMessage() + ")",
        cause);
  }
}
