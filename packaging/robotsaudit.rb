class Robotsaudit < Formula
  desc "Audit web archives against robots.txt"
  homepage "https://github.com/robotsaudit/robotsaudit"
  version "@version@"
  license "Apache-2.0"

  base = "https://github.com/robotsaudit/robotsaudit/releases/download/v@version@/robotsaudit_@version@"
  on_macos do
    on_arm do
      url "#{base}_darwin_arm64.tar.gz"
      sha256 "@sha256:robotsaudit_@version@_darwin_arm64.tar.gz@"
    end
    on_intel do
      url "#{base}_darwin_amd64.tar.gz"
      sha256 "@sha256:robotsaudit_@version@_darwin_amd64.tar.gz@"
    end
  end
  on_linux do
    on_arm do
      url "#{base}_linux_arm64.tar.gz"
      sha256 "@sha256:robotsaudit_@version@_linux_arm64.tar.gz@"
    end
    on_intel do
      url "#{base}_linux_amd64.tar.gz"
      sha256 "@sha256:robotsaudit_@version@_linux_amd64.tar.gz@"
    end
  end

  def install
    bin.install "robotsaudit"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/robotsaudit.bash" => "robotsaudit"
    zsh_completion.install "completions/robotsaudit.zsh" => "_robotsaudit"
    fish_completion.install "completions/robotsaudit.fish"
  end

  test do
    (testpath / "robots.txt").write "User-agent: *\nDisallow: /private/\n"
    assert_match "disallowed", shell_output("#{bin}/robotsaudit match robots.txt GPTBot /private/")
  end
end
