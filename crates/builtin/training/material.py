"""Validates one data file; also the parser used by training."""
import re,sys,json
CHECKS=[f"{m}{i}" for m in("E","ER","T","B","S","ES","C","CO","SA","AD") for i in range(1,6)]
COND=set("ER2 ER4 T3 B1 B3 ES2 C4 CO4 SA2 AD1 AD2 AD3 AD4 AD5".split())
HERE=__import__("os").path.dirname(__import__("os").path.abspath(__file__))
PRESENCE=set("E1 E2 E3 E4 ER5 S1 S2 S3 S4 S5 SA1 SA4".split())
AI="names_feeling validates warm reflects minimises misfit opposite passes_over harsh disrespect hope slang unprofessional own_limit says_ai diagnoses refers immediate_help asks_safety names_danger asks_private claims_role legitimises coping normalises next_step strength harmful hate false_health shames jargon broken contradicts tangle jumps asks_again human_claim promises owns_mistake ignores_correction open_question".split()
HU="distress disclosure risk crisis past_risk figure worse better asks_clinical asks_role corrects knows confused simple harm_request lasting".split()
def norm(s): return s.replace("\\n","\n").strip()
def squash(s): return re.sub(r"\s+"," ",s.replace("’","'").replace("“",'"').replace("”",'"')).strip().lower()
def parse(path,errs,pool=None):
    ext=path.rsplit(".",1)[1]; out=[]; cur=None; sec=None
    def e(n,m): errs.append(f"{path}:{n}: {m}")
    def finish():
        if cur is None: return
        n=cur["line"]
        if ext=="pairs":
            for side in "+-":
                ts=[(s,t) for s,m,t in cur["t"] if m in("",side)]
                if len(ts)<2: e(n,"fewer than two turns")
                for a,b in zip(ts,ts[1:]):
                    if a[0]==b[0]: e(n,f"two {a[0]} turns in a row on side {side}")
                if ts and ts[-1][0]!="A": e(n,"does not end on A")
                cur["turns"+side]=ts
            if cur["turns+"]==cur["turns-"]: e(n,"both sides are the same")
            for k in("pass","fail"):
                for i,q in cur[k]:
                    ts=cur["turns+" if k=="pass" else "turns-"]
                    if not 1<=i<=len(ts) or squash(q) not in squash(ts[i-1][1]): e(n,f"{k}@{i}: quote is not in that turn: {q[:50]}")
        else:
            ts=[(s,t) for s,m,t in cur["t"]] if ext=="chats" else [(t["speaker"][0],t["text"]) for t in (pool or {}).get(cur["id"],[])]
            cur["turns"]=ts
            if not ts: e(n,"no turns (unknown chat id?)")
            if cur.get("fails") is None: e(n,"no fails: line")
            if cur.get("nt") is None: e(n,"no nt: line")
            both=set(cur.get("fails") or {})&set(cur.get("nt") or [])
            if both: e(n,f"both failed and not_triggered: {both}")
            for i,a,q in cur["acts"]:
                if not 1<=i<=len(ts): e(n,f"act on turn {i}: no such turn"); continue
                ok=AI if ts[i-1][0]=="A" else HU
                if a not in ok: e(n,f"turn {i} is {ts[i-1][0]}: act {a} is not in its table")
                if squash(q) not in squash(ts[i-1][1]): e(n,f"act {a}@{i}: quote not in that turn: {q[:50]}")
        out.append(cur)
    for n,l in enumerate(open(path,encoding="utf-8"),1):
        l=l.rstrip("\n")
        if not l.strip(): continue
        if ext=="sheet":
            if l.startswith("## "):
                sec=l[3:].strip()
                if sec not in AI+HU: e(n,f"unknown act {sec}")
                continue
            m=re.match(r"^([+-]) (.*)$",l)
            if not m: e(n,"neither ##, + nor -"); continue
            t=m[2]; acts=[]
            b=re.search(r"\s*\{([^{}]*)\}\s*$",t)
            if b: acts=[a.strip() for a in b[1].split(",") if a.strip()]; t=t[:b.start()]
            table=AI if sec in AI else HU
            for a in acts:
                if a not in table: e(n,f"unknown act {a} for this speaker")
            ctx=""
            if "||" in t: ctx,t=[x.strip() for x in t.split("||",1)]
            out.append(dict(act=sec,pos=m[1]=="+",ctx=norm(ctx),text=norm(t),acts=acts,speaker="A" if sec in AI else "H",line=n)); continue
        if l.startswith("== "):
            finish(); p=[x.strip() for x in l[3:].split("|",1)]
            cur=dict(id=p[0],about=p[1] if len(p)>1 else "",t=[],acts=[],fails=None,nt=None,line=n); cur["pass"]=[]; cur["fail"]=[]
            if ext=="pairs" and p[0] not in CHECKS: e(n,f"unknown check {p[0]}")
            continue
        if cur is None: e(n,"text before the first =="); continue
        if (m:=re.match(r"^([HA])([+-]?): (.*)$",l)): cur["t"].append((m[1],m[2],norm(m[3]))); continue
        if (m:=re.match(r"^(pass|fail)@(\d+): (.*)$",l)): cur[m[1]].append((int(m[2]),norm(m[3]))); continue
        if l.startswith("fails:"):
            cur["fails"]={}
            for w in l[6:].replace(",@",",").split():
                k,_,ts=w.partition("@")
                if k not in CHECKS: e(n,f"unknown check {k}")
                else: cur["fails"][k]=[int(x) for x in re.findall(r"\d+",ts)]
            continue
        if l.startswith("nt:"):
            cur["nt"]=l[3:].replace(","," ").split()
            for k in cur["nt"]:
                if k not in COND: e(n,f"{k} is not a conditional check")
            continue
        if l.strip()=="acts:": continue
        if (m:=re.match(r"^(\d+) (\w+): (.*)$",l)): cur["acts"].append((int(m[1]),m[2],norm(m[3]))); continue
        e(n,f"not understood: {l[:60]}")
    if ext!="sheet": finish()
    return out
def pool():
    import glob,os
    d={}
    f="/work/data/pool/chats.jsonl"
    if os.path.exists(f):
        for l in open(f): c=json.loads(l); d[c["id"]]=c["turns"]
    return d
if __name__=="__main__":
    import collections
    for p in sys.argv[1:]:
        errs=[]; o=parse(p,errs,pool())
        print("\n".join(errs[:60])); print(p,len(o),"items",len(errs),"errors")
        if p.endswith("sheet"): print(dict(collections.Counter((x["act"],"+" if x["pos"] else "-") for x in o)))
        if p.endswith("pairs"): print(dict(collections.Counter(x["id"] for x in o)))
