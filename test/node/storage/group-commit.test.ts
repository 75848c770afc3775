import { describe, expect, test } from "vitest";
import { GroupCommit } from "../../../node/storage/group-commit.ts";

/** A disk that notes what is committed, and can be full. */
class Disk {
  isFull = false;
  onSend: (() => void) | undefined;
  readonly happened: string[] = [];
  due: string[] = [];
  readonly group = new GroupCommit<string[]>({
    source: {
      isIdle: false,
      take: () => {
        if (this.due.includes("unmakeable")) throw new Error(`cannot make ${this.due.splice(0)}`);
        return this.due.splice(0);
      },
      retry: (ready) => this.due.unshift(...ready),
    },
    commit: (ready) => {
      if (this.isFull) throw new Error("disk is full");
      this.happened.push(`commit ${ready.join(" ")}`);
    },
    send: (ready) => {
      if (ready.includes("bomb")) throw new Error("send failed");
      this.happened.push(`send ${ready.join(" ")}`);
      this.onSend?.();
    },
    onRefused: (error) => this.happened.push(`refused: ${(error as Error).message}`),
    onFault: (error) => this.happened.push(`fault: ${(error as Error).message}`),
  });

  tell(name: string): void {
    this.group.afterCommit((isOnDisk) => {
      if (name === "bomb") throw new Error("a fault of ours");
      this.happened.push(`${name} ${isOnDisk}`);
    });
  }
}

describe("a group commit", () => {
  test("commits, then sends, then answers all visitors of one turn in the order of their coming", () => {
    const disk = new Disk();
    disk.due.push("a", "b");
    for (const name of ["anna", "bert", "carl"]) disk.tell(name);
    expect(disk.happened).toEqual([]);
    disk.group.flush();
    expect(disk.happened).toEqual(["commit a b", "send a b", "anna true", "bert true", "carl true"]);
  });

  test("has nothing to do with what comes while it is sent: that waits for the next one", () => {
    const disk = new Disk();
    disk.onSend = () => disk.tell("bert");
    disk.due.push("a");
    disk.tell("anna");
    disk.group.flush();
    expect(disk.happened).toEqual(["commit a", "send a", "anna true"]);
    disk.onSend = undefined;
    disk.due.push("b");
    disk.group.flush();
    expect(disk.happened.slice(3)).toEqual(["commit b", "send b", "bert true"]);
  });

  test("that fails sends nothing, reports it, and has its writes tried again", () => {
    const disk = new Disk();
    disk.isFull = true;
    disk.due.push("a");
    disk.tell("anna");
    disk.group.flush();
    expect(disk.happened).toEqual(["refused: disk is full", "anna false"]);
    disk.isFull = false;
    disk.due.push("b");
    disk.tell("bert");
    disk.group.flush();
    expect(disk.happened.slice(2)).toEqual(["commit a b", "send a b", "bert true"]);
  });

  test("answers the others although one of them, or sending, fails", () => {
    const disk = new Disk();
    disk.due.push("bomb");
    for (const name of ["anna", "bomb", "bert"]) disk.tell(name);
    disk.group.flush();
    expect(disk.happened).toEqual([
      "commit bomb",
      "fault: send failed",
      "anna true",
      "fault: a fault of ours",
      "bert true",
    ]);
  });

  test("that cannot be made answers all visitors so, is no fault of the disk, and does not keep the next one", () => {
    const disk = new Disk();
    disk.due.push("unmakeable");
    for (const name of ["anna", "bert"]) disk.tell(name);
    disk.group.flush();
    expect(disk.happened).toEqual(["fault: cannot make unmakeable", "anna false", "bert false"]);
    disk.due.push("a");
    disk.tell("carl");
    disk.group.flush();
    expect(disk.happened.slice(3)).toEqual(["commit a", "send a", "carl true"]);
  });
});
