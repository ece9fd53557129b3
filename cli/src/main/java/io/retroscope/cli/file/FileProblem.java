// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.file;

import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;

/** Failures of files and connections in words for users. */
public final class FileProblem {
  private FileProblem() {}

  /** Why a file or a connection cannot be used, in a few words. */
  public static String reason(Exception e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such file or folder";
    }
    if (e instanceof AccessDeniedException) {
      return "access denied";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "exists already";
    }
    if (e instanceof CharacterCodingException) {
      return "it is not UTF-8";
    }
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }
}
